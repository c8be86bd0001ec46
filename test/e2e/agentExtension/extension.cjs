// What an agent inside the editor does, without a model: calls a tool and shows what comes back.
const vscode = require('vscode');

/** @param {import('vscode').ExtensionContext} context */
exports.activate = (context) => {
  context.subscriptions.push(
    vscode.commands.registerCommand('agentTests.generate', async () => {
      try {
        const { content } = await vscode.lm.invokeTool('unifiedMedia_generateImage', {
          input: { prompt: 'A fox in the snow', purpose: 'for the start page' },
          toolInvocationToken: undefined,
        });
        const [first] = content;
        if (!(first instanceof vscode.LanguageModelTextPart)) throw new Error('no text came back');
        const { status, files } = JSON.parse(first.value);
        await vscode.window.showInformationMessage(`The agent got ${status}: ${files[0].relative_path}`);
      } catch (error) {
        await vscode.window.showInformationMessage(
          `The agent was told: ${error instanceof Error ? error.message : error}`,
        );
      }
    }),
  );
};
