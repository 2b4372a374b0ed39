/** Waits for a state, never for a time: the deadline only ends a test that would hang. */
const PATIENCE_MS = 120_000;

/** Looks again and again until the value fits, and returns it; after two minutes, whatever it is. */
export async function settled<T>(look: () => T | Promise<T>, fits: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await look();
    if (fits(value) || Date.now() > deadline) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  if (!(await settled(holds, Boolean))) throw new Error(`not within two minutes: ${holds}`);
}
