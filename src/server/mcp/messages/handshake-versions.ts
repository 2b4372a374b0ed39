/** The protocol versions that begin with `initialize`, newest first. Clients that ask for another get the newest. */
export const HANDSHAKE_VERSIONS: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];
