import assert from 'node:assert/strict';
import { noAmounts } from '../../../../src/operations/amounts.ts';
import { importWithEditor } from '../../../support/editorStub.ts';

type Questions = typeof import('../../../../src/features/agents/AgentQuestions.ts');
type AskedCall = Parameters<Questions['questionTitle']>[0];

describe('the question about a call of an agent', () => {
  it('says which minutes, and which cost, are an upper bound', async () => {
    class MarkdownString {
      value = '';
      appendMarkdown(text: string): void {
        this.value += text;
      }
    }
    const { questionTitle, questionMarkdown } = await importWithEditor<Questions>(
      new URL('../../../../src/features/agents/AgentQuestions.ts', import.meta.url),
      { MarkdownString },
    );
    const amounts = { ...noAmounts, minutes: 2, requests: 1, minutesAtMost: true };
    const call = {
      operation: 'transcribe',
      request: { model: 'm', file: '/talk.mp3' },
      place: { root: 'file:///folder', path: 'media', fileName: 'talk', transcriptFormat: 'srt' },
      sandbox: false,
      amounts,
      sends: [],
      addresses: [],
      unlimited: [],
      service: 'media.example',
    };
    const asked = { caller: { name: 'Chat' }, call, left: noAmounts } as unknown as AskedCall;
    assert.match(questionTitle(asked), /at most 2 minutes of recordings with “m”\?$/);
    const prices = { currency: '$', models: { m: { minute: 0.5 } } };
    assert.match(questionMarkdown(asked, { prices }).value, /Price:\*\* `at most 1\.00 \$`/);
  });
});
