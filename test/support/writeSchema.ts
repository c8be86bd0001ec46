// Writes the manifest schema: node test/support/writeSchema.ts
import { writeFileSync } from 'node:fs';
import { manifestSchema } from '../../src/manifest/manifestSchema.ts';

writeFileSync('media/media.schema.json', `${JSON.stringify(manifestSchema(), undefined, 2)}\n`);
