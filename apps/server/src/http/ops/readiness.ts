/** Whether a balancer may send requests here. */
export interface Readiness {
  readonly isOff: boolean;
  /** Tells balancers to send no further requests; those that come are still answered. */
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
