/** One agent's calls to a server: what was answered, and what calls and answers cost. */

/** English, code and JSON come to about four bytes a token. */
const BYTES_A_TOKEN = 4;
/** Common clients pass on no answer that is longer than this. */
export const CLIENT_TOKENS = 25_000;

export class Conversation {
  calls = 0;
  /** All that came back: { text, content, isError }. */
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

  /** Makes one call. An error is an answer, too: agents read it and go on. */
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
