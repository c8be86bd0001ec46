import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '../operations/parseJson.ts';
import type { Whole } from './Job.ts';

/** Whether two texts are spoken in the same way. */
export function isSpokenAlike(one: Pick<Whole, 'request'>, other: Pick<Whole, 'request'>): boolean {
  return isDeepStrictEqual(speakerOf(one), speakerOf(other));
}

/** Returns how a text is spoken; undefined for a recording. Fields that are undefined are left out, as in the journal. */
function speakerOf({ request }: Pick<Whole, 'request'>): unknown {
  return 'input' in request ? parseJson(JSON.stringify({ ...request, input: undefined })) : undefined;
}
