import * as l10n from '@vscode/l10n';
import type { JobFacts } from './Job.ts';

/** Returns words about money for a request to a service; none for one to the sandbox, which is free. */
export function ifBilled({ sandbox }: Pick<JobFacts, 'sandbox'>, words: string): string | undefined {
  return sandbox ? undefined : words;
}

/** Says that a failed request may cost something nevertheless; nothing about one to the sandbox. */
export function mayBeBilled(job: Pick<JobFacts, 'sandbox'>): string | undefined {
  return ifBilled(job, l10n.t('The service may still bill this request.'));
}
