/** Waits for a state, never for a fixed time. The deadline only ends a test that would hang. */
const PATIENCE_MS = 120_000;

/** Listing all processes of the machine takes milliseconds, and doing it more often would slow them down. */
export const BETWEEN_LOOKS_AT_PROCESSES_MS = 50;

/** Reads a value again and again until it fits, and returns it. After two minutes it returns whatever the value is. */
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
