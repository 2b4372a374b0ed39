/** What a client has read lately: by it, anchors and hashes of lines and files that changed since can be understood. */

/** In bytes: a session that read more forgets what it read longest ago. */
const MOST_BYTES = 4 * 1024 * 1024;

interface ReadText {
  hash: string;
  bytes: Buffer;
}

export class ReadTexts {
  /** By the file's real path, the one that was read longest ago first. */
  readonly #byPath = new Map<string, ReadText>();
  #size = 0;

  /** Keeps a copy: the bytes of a small file lie in memory that other files share. */
  remember(path: string, hash: string, bytes: Buffer): void {
    this.forget(path);
    if (bytes.length > MOST_BYTES) return;
    this.#byPath.set(path, { hash, bytes: Buffer.from(bytes) });
    this.#size += bytes.length;
    for (const oldest of this.#byPath.keys()) {
      if (this.#size <= MOST_BYTES) break;
      this.forget(oldest);
    }
  }

  /**
   * The hash of what the client read at this path before, if it is the same: to compare bytes costs less than to hash
   * them. It counts as read now.
   */
  readAgain(path: string, bytes: Buffer): string | undefined {
    const known = this.#byPath.get(path);
    if (!known?.bytes.equals(bytes)) return undefined;
    this.#byPath.delete(path);
    this.#byPath.set(path, known);
    return known.hash;
  }

  forget(path: string): void {
    this.#size -= this.#byPath.get(path)?.bytes.length ?? 0;
    this.#byPath.delete(path);
  }

  /** The content of a file when the client last read it. */
  lastOf(path: string): Buffer | undefined {
    return this.#byPath.get(path)?.bytes;
  }

  /** A content that the client read under this hash. */
  withHash(hash: string): Buffer | undefined {
    for (const text of this.#byPath.values()) if (text.hash === hash) return text.bytes;
    return undefined;
  }
}
