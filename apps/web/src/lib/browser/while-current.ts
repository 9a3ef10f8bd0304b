/**
 * For an effect that waits: passes on how a promise ends, unless the effect was cleaned up before.
 * @returns the cleanup
 */
export function whileCurrent<T>(
  promise: Promise<T>,
  onResult: (result: T) => void,
  onError?: (error: unknown) => void,
): () => void {
  let isCurrent = true;
  void promise.then(
    (result) => isCurrent && onResult(result),
    onError && ((error: unknown) => isCurrent && onError(error)),
  );
  return () => {
    isCurrent = false;
  };
}
