/** Whether this heap holds only the engine's own work. As a library, the engine leaves the heap to its host. */
let isOurs = false;

/** Call this once, in a program or a thread that does nothing else. */
export function ownHeap(): void {
  isOurs = true;
}

export function isHeapOurs(): boolean {
  return isOurs;
}
