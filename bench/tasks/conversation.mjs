/** One agent's calls to a server, the answers, and what both cost. */

/** A token of English, code or JSON has about four bytes. */
const BYTES_A_TOKEN = 4;
/** Common clients do not pass on a longer answer. */
export const CLIENT_TOKENS = 25_000;

export class Conversation {
  calls = 0;
  /** Every answer so far: { text, content, isError }. */
  answers = [];
  longestTokens = 0;
  #server;
  #before;

  constructor(server) {
    this.#server = server;
    this.#before = bytesOf(server);
  }

  get tokens() {
    return tokensOf(bytesOf(this.#server) - this.#before);
  }

  get bytes() {
    return bytesOf(this.#server) - this.#before;
  }

  /** Makes one call. An error is an answer, too: agents read it and carry on. */
  async ask(name, args) {
    this.calls++;
    const before = this.#server.received;
    const answer = await this.#request(name, args);
    this.longestTokens = Math.max(this.longestTokens, tokensOf(this.#server.received - before));
    this.answers.push(answer);
    return answer;
  }

  get text() {
    return this.answers.map(({ text }) => text).join('\n');
  }

  async #request(name, args) {
    try {
      const result = await this.#server.request('tools/call', { name, arguments: args });
      const content = result.content ?? [];
      return {
        text: content.map((item) => item.text ?? '').join('\n'),
        content,
        isError: result.isError === true,
      };
    } catch (error) {
      return { text: error.message, content: [], isError: true };
    }
  }
}

export function tokensOf(bytes) {
  return Math.ceil(bytes / BYTES_A_TOKEN);
}

function bytesOf(server) {
  return server.sent + server.received;
}
