const online = () => new Promise<unknown>((resolve) => addEventListener('online', resolve, { once: true }));

/**
 * Loads code for something that can wait: without a network it comes once there is one.
 * @throws what the import throws while there is a network
 */
export async function importPatiently<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      if (navigator.onLine) throw error;
      await online();
    }
  }
}
