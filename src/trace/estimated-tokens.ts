/** Estimates how many tokens a text costs, without asking a model. */

/** English and JSON come to about four characters a token; models differ by some ten percent either way. */
const CHARACTERS_PER_TOKEN = 4;

export function estimatedTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
