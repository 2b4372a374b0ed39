/** Splits text that arrives in pieces into lines, or into the messages of an event stream. */

export class LineReader {
  #rest = '';

  /** The lines that are complete now. */
  push(piece: string): string[] {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop()!;
    return lines;
  }

  /** The text after the last newline. */
  end(): string[] {
    const rest = this.#rest;
    this.#rest = '';
    return rest === '' ? [] : [rest];
  }
}

export interface Message {
  event: string;
  id: string | undefined;
  data: string;
}

export class MessageReader {
  readonly #lines = new LineReader();
  #event = 'message';
  #id: string | undefined;
  #data: string[] = [];

  /** The messages that are complete now; a line that begins with a colon only keeps the connection alive. */
  push(piece: string): Message[] {
    const messages: Message[] = [];
    for (const line of this.#lines.push(piece)) {
      if (line === '') messages.push(...this.#finish());
      else this.#take(line);
    }
    return messages;
  }

  #take(line: string): void {
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#event = value;
    else if (field === 'id') this.#id = value;
    else if (field === 'data') this.#data.push(value);
  }

  #finish(): Message[] {
    const message = { event: this.#event, id: this.#id, data: this.#data.join('\n') };
    const isEmpty = this.#data.length === 0;
    this.#event = 'message';
    this.#data = [];
    return isEmpty ? [] : [message];
  }
}
