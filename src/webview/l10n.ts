/** The same call as in the host, so that one tool finds all texts. */
export const l10n = {
  t(text: string, ...values: readonly (string | number)[]): string {
    const translated = translations()[text] ?? text;
    return translated.replace(/\{(\d)\}/g, (_, index) => String(values[Number(index)] ?? ''));
  },
};

function translations(): Readonly<Record<string, string>> {
  known ??= JSON.parse(document.getElementById('create')?.dataset.translations ?? '{}') as Record<string, string>;
  return known;
}

let known: Readonly<Record<string, string>> | undefined;
