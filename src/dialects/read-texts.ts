/** What a client has read lately: by it, anchors and hashes of lines and files that changed since can be understood. */

/** In bytes: a session that read more forgets what it read longest ago. */
const MOST_BYTES = 4 * 1024 * 1024;

export interface KnownText {
  readonly hash: string;
  readonly bytes: Buffer;
  anchored?: ShownText;
}

/** All of a text with anchors, as a client was shown it. */
export interface ShownText {
  readonly text: string;
  /** The encoding in which it was read. */
  readonly charset: string;
  /** For how many bytes it is short enough. */
  readonly budget: number;
}

export class ReadTexts {
  /** By the file's real path, the one that was read longest ago first. */
  readonly #byPath = new Map<string, KnownText>();
  #size = 0;

  /** Keeps a copy: the bytes of a small file lie in memory that other files share. */
  remember(path: string, hash: string, bytes: Buffer): KnownText {
    this.forget(path);
    if (bytes.length > MOST_BYTES) return { hash, bytes };
    const known = { hash, bytes: Buffer.from(bytes) };
    this.#byPath.set(path, known);
    this.#makeRoom(sizeOf(known));
    return known;
  }

  rememberAnchored(path: string, known: KnownText, anchored: ShownText): void {
    // The client may have read something else since.
    if (this.#byPath.get(path) !== known) return;
    const before = sizeOf(known);
    known.anchored = anchored;
    this.#makeRoom(sizeOf(known) - before);
  }

  /**
   * What the client read at this path before, if it is the same: to compare bytes costs less than to hash them. It
   * counts as read now.
   */
  readAgain(path: string, bytes: Buffer): KnownText | undefined {
    const known = this.#byPath.get(path);
    if (!known?.bytes.equals(bytes)) return undefined;
    this.#byPath.delete(path);
    this.#byPath.set(path, known);
    return known;
  }

  forget(path: string): void {
    const known = this.#byPath.get(path);
    if (known) this.#size -= sizeOf(known);
    this.#byPath.delete(path);
  }

  #makeRoom(more: number): void {
    this.#size += more;
    for (const oldest of this.#byPath.keys()) {
      if (this.#size <= MOST_BYTES) break;
      this.forget(oldest);
    }
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

function sizeOf({ bytes, anchored }: KnownText): number {
  return bytes.length + 2 * (anchored?.text.length ?? 0);
}
