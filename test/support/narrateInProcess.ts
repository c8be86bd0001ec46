// Narrates a document until it is killed: node narrateInProcess.ts '<DocumentOptions and dieAt as JSON>'
import { LocalFolder } from '../../src/files/LocalFolder.ts';
import { type DocumentOptions, narrateDocument } from './narrateDocument.ts';

/** When to die: before the block with an index is sent, or before or after a file is replaced. */
type Death = { readonly block: number } | { readonly replace: number; readonly when: 'before' | 'after' };

const { dieAt, ...options } = JSON.parse(process.argv[2] ?? '{}') as DocumentOptions & { readonly dieAt?: Death };

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

let replaced = 0;

class MortalFolder extends LocalFolder {
  override async replace(...parameters: Parameters<LocalFolder['replace']>): Promise<boolean> {
    const isLast = dieAt && 'replace' in dieAt && dieAt.replace === replaced++;
    if (isLast && dieAt.when === 'before') die();
    const isReplaced = await super.replace(...parameters);
    if (isLast) die();
    return isReplaced;
  }
}

await narrateDocument({
  ...options,
  folderAt: (path, root) => new MortalFolder(path, root),
  onBlock: (index) => {
    if (dieAt && 'block' in dieAt && dieAt.block === index) die();
  },
});
