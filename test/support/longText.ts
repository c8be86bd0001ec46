/** Ten thousand characters in few, long words: some minutes of sound only. */
export const longText = 'nejneobhospodařovávatelnějšími '.repeat(323).slice(0, 10_000);
