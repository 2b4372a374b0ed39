/** Remembers what a client has read lately, so that its anchors and hashes make sense even after a file has changed. */

/** A session that has read more forgets the file that it read longest ago. */
const MOST_BYTES = 4 * 1024 * 1024;

export interface KnownText {
  readonly hash: string;
  readonly bytes: Buffer;
  anchored?: ShownText;
}

/** A whole text with anchors, as the client saw it. */
export interface ShownText {
  readonly text: string;
  /** The encoding in which it was read. */
  readonly charset: string;
  /** The budget, in bytes, that it fitted. */
  readonly budget: number;
}

export class ReadTexts {
  /** Keyed by the file's real path, least recently read first. */
  readonly #byPath = new Map<string, KnownText>();
  #size = 0;

  /** Keeps a copy, because the buffer of a small file is a slice of memory that other files share. */
  remember(path: string, hash: string, bytes: Buffer): KnownText {
    this.forget(path);
    if (bytes.length > MOST_BYTES) return { hash, bytes };
    const known = { hash, bytes: Buffer.from(bytes) };
    this.#byPath.set(path, known);
    this.#makeRoom(sizeOf(known));
    return known;
  }

  rememberAnchored(path: string, known: KnownText, anchored: ShownText): void {
    // The client may have read the file again since, with other content.
    if (this.#byPath.get(path) !== known) return;
    const before = sizeOf(known);
    known.anchored = anchored;
    this.#makeRoom(sizeOf(known) - before);
  }

  /**
   * What the client read at this path before, if the bytes are the same, and marks it as read just now. Comparing bytes
   * costs less than hashing them.
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

  /** A content with this hash that the client has read. */
  withHash(hash: string): Buffer | undefined {
    for (const text of this.#byPath.values()) if (text.hash === hash) return text.bytes;
    return undefined;
  }
}

function sizeOf({ bytes, anchored }: KnownText): number {
  return bytes.length + 2 * (anchored?.text.length ?? 0);
}
