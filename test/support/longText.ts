/** Ten thousand characters in a few long words, so that their sound is short. */
export const longText = `${'nejneobhospodařovávatelnějšími'.repeat(10)} `.repeat(33).slice(0, 10_000);
