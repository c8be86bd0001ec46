// Writes what follows from the code: npm run generate
import { readFileSync, writeFileSync } from 'node:fs';
import { manifestSchema } from '../../src/manifest/manifestSchema.ts';
import { generatedManifest, generatedTexts, germanTitle } from './generatedManifest.ts';
import { documentsWithTables, withTables } from './generatedTables.ts';

function rewrite(name: string, rewritten: (text: string) => string): void {
  writeFileSync(name, rewritten(readFileSync(name, 'utf8')));
}

rewrite('package.json', generatedManifest);
rewrite('package.nls.json', (text) => generatedTexts(text, (title) => title));
rewrite('package.nls.de.json', (text) => generatedTexts(text, germanTitle));
rewrite('media/media.schema.json', () => `${JSON.stringify(manifestSchema(), undefined, 2)}\n`);
for (const name of documentsWithTables) rewrite(name, (text) => withTables(name, text));
