/** Waits for a state, never for a time. */
export async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`not within two minutes: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
