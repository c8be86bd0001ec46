import type { Findings } from '../Findings.ts';
import { ScriptReader } from './ScriptReader.ts';

/**
 * Finds media that JavaScript or TypeScript imports and, with JSX, the references in its tags.
 *
 * @param offset offset of this text in the document
 */
export function findInScript(text: string, hasJsx: boolean, findings: Findings, offset = 0): void {
  new ScriptReader(text, hasJsx, findings, offset).read();
}
