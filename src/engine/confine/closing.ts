/** Runs `use` with something open, and always closes it: for a promise, when that has settled. */
export function closing<C extends { close(): void }, T>(open: C, use: (open: C) => T): T {
  let result: T;
  try {
    result = use(open);
  } catch (error) {
    open.close();
    throw error;
  }
  if (result instanceof Promise) return result.finally(() => open.close()) as T;
  open.close();
  return result;
}
