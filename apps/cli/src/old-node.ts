/** What Node 20 lacks of what packages/client uses. */
Promise.withResolvers ??= function withResolvers<Value>(): PromiseWithResolvers<Value> {
  let resolve!: PromiseWithResolvers<Value>['resolve'];
  let reject!: PromiseWithResolvers<Value>['reject'];
  const promise = new Promise<Value>((one, other) => {
    resolve = one;
    reject = other;
  });
  return { promise, resolve, reject };
};
