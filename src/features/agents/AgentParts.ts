import type { Preview } from '../../agents/ToolResult.ts';
import type { Language } from '../../documents/Language.ts';
import type { ReferenceForm } from '../../documents/MediaReference.ts';
import type { AssetKind } from '../../operations/operations.ts';
import type { Wrapper } from '../../places/Project.ts';

/** What agents need of other parts of the extension. */
export interface AgentParts {
  formToWrite(language: Language, kind: AssetKind): ReferenceForm;
  formatReference(
    language: Language,
    reference: {
      readonly path: string;
      readonly kind: AssetKind;
      readonly title: string;
      readonly wrapper?: Wrapper | undefined;
    },
    snippets: { readonly audio: string; readonly video: string },
  ): string;
  isPrivateAddress(host: string): boolean;
  /** Length of a recording; undefined when it cannot be told. */
  secondsOf(path: string): Promise<number | undefined>;
  /** A small picture of an image; undefined for what cannot be decoded. */
  previewOf(path: string): Promise<Preview | undefined>;
}
