/** What a text costs a model, estimated without asking one. */

/** English and JSON come to about four characters a token; models differ by some ten percent either way. */
const CHARACTERS_A_TOKEN = 4;

export function estimatedTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_A_TOKEN);
}
