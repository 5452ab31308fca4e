/** Returns whether an input of an example is the callback data of a button, not a text. */
export const isTap = (input: string) => /^\+?[a-z-]+:[a-z-]+|^answer=/.test(input);
