// What an agent inside the editor does: it calls a tool by itself, or in chat as a language model wants it to.
const vscode = require('vscode');
const { LanguageModelChatMessage, LanguageModelTextPart, LanguageModelToolCallPart, LanguageModelToolResultPart } =
  vscode;

const toolName = 'unifiedMedia_generateImage';

/** @param {import('vscode').ExtensionContext} context */
exports.activate = (context) => {
  const participant = vscode.chat.createChatParticipant('agentTests.drawer', draw);
  context.subscriptions.push(
    participant,
    vscode.commands.registerCommand('agentTests.generate', generate),
    vscode.lm.registerLanguageModelChatProvider('scripted', scriptedModel),
    vscode.commands.registerCommand('agentTests.chat', () =>
      vscode.commands.executeCommand('workbench.action.chat.open', {
        query: '@drawer Draw a fox',
        mode: 'ask',
        modelSelector: { vendor: 'scripted', id: 'scripted' },
      }),
    ),
  );
};

/** Calls the tool outside of chat. */
async function generate() {
  try {
    const input = { prompt: 'A fox in the snow', purpose: 'for the start page' };
    const { content } = await vscode.lm.invokeTool(toolName, { input, toolInvocationToken: undefined });
    const { status, files } = JSON.parse(textIn(content));
    await vscode.window.showInformationMessage(`The agent got ${status}: ${files[0].relative_path}`);
  } catch (error) {
    const told = error instanceof Error ? error.message : error;
    await vscode.window.showInformationMessage(`The agent was told: ${told}`);
  }
}

/**
 * Lets the model work with the tool until it has nothing more to call, and writes what it says into the document.
 *
 * @type {import('vscode').ChatRequestHandler}
 */
async function draw(request, _context, stream, token) {
  const tools = vscode.lm.tools.filter(({ name }) => name === toolName);
  const messages = [LanguageModelChatMessage.User(request.prompt)];
  for (let turn = 0; turn < 3; turn++) {
    const response = await request.model.sendRequest(messages, { tools: [...tools] }, token);
    let said = '';
    const calls = [];
    for await (const part of response.stream) {
      if (part instanceof LanguageModelTextPart) said += part.value;
      if (part instanceof LanguageModelToolCallPart) calls.push(part);
    }
    const [call] = calls;
    if (!call) {
      const [editor] = vscode.window.visibleTextEditors;
      await editor?.edit((edit) => edit.insert(new vscode.Position(editor.document.lineCount, 0), said));
      await editor?.document.save();
      stream.markdown(`Written: ${said}`);
      return;
    }
    const { content } = await vscode.lm.invokeTool(
      call.name,
      { input: call.input, toolInvocationToken: request.toolInvocationToken },
      token,
    );
    messages.push(LanguageModelChatMessage.Assistant([call]));
    messages.push(LanguageModelChatMessage.User([new LanguageModelToolResultPart(call.callId, content)]));
  }
}

/** A model that wants a picture, looks whether it gets one, and gives back the reference. */
const scriptedModel = {
  provideLanguageModelChatInformation: () => [
    {
      id: 'scripted',
      name: 'Scripted',
      family: 'scripted',
      version: '1',
      maxInputTokens: 100_000,
      maxOutputTokens: 4000,
      capabilities: { toolCalling: true, imageInput: true },
      isUserSelectable: true,
    },
  ],
  provideTokenCount: async () => 1,
  /**
   * @param {unknown} _model
   * @param {readonly import('vscode').LanguageModelChatRequestMessage[]} messages
   * @param {import('vscode').ProvideLanguageModelChatResponseOptions} options
   * @param {import('vscode').Progress<import('vscode').LanguageModelResponsePart>} progress
   */
  provideLanguageModelChatResponse: async (_model, messages, options, progress) => {
    const results = messages.flatMap(({ content }) =>
      content.filter((part) => part instanceof LanguageModelToolResultPart),
    );
    const last = results.at(-1);
    if (!last) {
      const input = { prompt: 'A fox in the snow', alt_text: 'A fox' };
      return progress.report(new LanguageModelToolCallPart('call-1', options.tools?.[0]?.name ?? '', input));
    }
    const pictures = last.content.filter((part) => part instanceof vscode.LanguageModelDataPart);
    const { status, files } = JSON.parse(textIn(last.content));
    const said = status === 'done' && pictures.length === 1 ? files[0].reference : `no picture: ${status}`;
    progress.report(new LanguageModelTextPart(said));
  },
};

/** @param {readonly unknown[]} content */
function textIn(content) {
  const text = content.find((part) => part instanceof LanguageModelTextPart);
  if (!(text instanceof LanguageModelTextPart)) throw new Error('no text came back');
  return text.value;
}
