/** Whether a balancer may send requests here. */
export interface Readiness {
  readonly isOff: boolean;
  /** Tells balancers to send no further requests; requests that still come are answered. */
  turnOff(): void;
}

export function createReadiness(): Readiness {
  let isOff = false;
  return {
    get isOff() {
      return isOff;
    },
    turnOff() {
      isOff = true;
    },
  };
}
