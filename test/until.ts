/** Waits for a state, never for a time: the deadline only ends a test that would hang. */
const PATIENCE_MS = 120_000;

/** A look at all processes of the machine takes milliseconds: who looks more often takes the processor from them. */
export const BETWEEN_LOOKS_AT_PROCESSES_MS = 50;

/** Looks again and again until the value fits, and returns it; after two minutes, whatever it is. */
export async function settled<T>(
  look: () => T | Promise<T>,
  fits: (value: T) => boolean,
  betweenMs = 10,
): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await look();
    if (fits(value) || Date.now() > deadline) return value;
    await new Promise((resolve) => setTimeout(resolve, betweenMs));
  }
}

export async function until(holds: () => boolean | Promise<boolean>, betweenMs?: number): Promise<void> {
  if (!(await settled(holds, Boolean, betweenMs))) throw new Error(`not within two minutes: ${holds}`);
}
