import * as vscode from 'vscode';
import type { AgentDesk } from '../../agents/AgentDesk.ts';
import type { ToolResult } from '../../agents/ToolResult.ts';
import { isFailure } from '../../agents/ToolResult.ts';
import type { ToolId } from '../../agents/tools.ts';
import { toolOf } from '../../agents/tools.ts';
import { abortSignal } from '../../editor/abortSignal.ts';
import { questionMarkdown, questionTitle } from './describeQuestion.ts';

/** The tools as VS Code's language models call them. */
export class AgentTools {
  readonly #desk: AgentDesk;

  constructor(desk: AgentDesk) {
    this.#desk = desk;
  }

  /**
   * Asks in chat for requests within the budget. Requests beyond it are asked about in our own dialog. Changes nothing.
   */
  async prepare(id: ToolId, input: unknown): Promise<vscode.PreparedToolInvocation> {
    const tool = toolOf(id);
    const invocationMessage = vscode.l10n.t(tool.title);
    // Invalid input is reported when the tool is called.
    const outlook = await this.#desk.outlook(tool, input).catch(() => undefined);
    if (!outlook || outlook.call.sandbox || !outlook.isWithinBudget) return { invocationMessage };
    const asked = { caller: chat(), call: outlook.call, left: outlook.left };
    return {
      invocationMessage,
      confirmationMessages: { title: questionTitle(asked), message: questionMarkdown(asked) },
    };
  }

  /** @throws Error whose message says what to do next; CancellationError when the caller cancelled */
  async invoke(id: ToolId, input: unknown, token: vscode.CancellationToken): Promise<vscode.LanguageModelToolResult> {
    const abort = abortSignal(token);
    try {
      const { result, previews } = await this.#desk.ask(toolOf(id), input, chat(), {
        signal: abort.signal,
        endsWithCaller: true,
      });
      if (token.isCancellationRequested) throw new vscode.CancellationError();
      if (isFailure(result)) throw new Error(sentenceOf(result));
      return new vscode.LanguageModelToolResult([
        new vscode.LanguageModelTextPart(JSON.stringify(result)),
        ...previews.map(({ bytes, mediaType }) => vscode.LanguageModelDataPart.image(bytes, mediaType)),
      ]);
    } finally {
      abort.dispose();
    }
  }
}

function chat() {
  return { kind: 'chat', name: vscode.l10n.t('Chat') } as const;
}

/** Describes what went wrong and what to do next, with the kind and the job in brackets. */
function sentenceOf({ status, error, next, job_id }: ToolResult): string {
  const kind = status === 'failed' ? (error?.kind ?? status) : status;
  const facts = [
    kind,
    ...(error ? [`charged: ${error.charged}`] : []),
    ...(job_id === undefined ? [] : [`job_id: ${job_id}`]),
  ];
  return [error?.message, next, `[${facts.join(', ')}]`].filter(Boolean).join(' ');
}
