import type { JSONObject } from '@modelcontextprotocol/server';
import { Server } from '@modelcontextprotocol/server';
import { parseJson } from '../../operations/parseJson.ts';
import type { RunProgress } from '../../work/JobRun.ts';
import type { AgentDesk } from '../AgentDesk.ts';
import { isFailure, resultSchema } from '../ToolResult.ts';
import type { AgentTool } from '../tools.ts';
import { agentTools, toolByReferenceName } from '../tools.ts';

/** Interval of progress notifications, in milliseconds; they keep clients from timing out. */
const progressInterval = 5000;

const instructions =
  'Generates, edits and finds images, speech, transcripts and videos in the workspace that is open in VS Code. Check media_find_assets before creating anything new. Creating media costs money: the user has set a daily budget and is asked before it is exceeded. If the status is "running" or "waiting_for_person", call media_get_job; if it is "unknown" or "declined", do not call the tool again.';

/**
 * Creates an MCP server for one request or connection, for clients of both generations of the protocol.
 *
 * @param caller display name of the client
 */
export function createServer(desk: AgentDesk, caller: string, version: string): Server {
  const server = new Server(
    { name: 'unified-media', title: 'Unified Media', version },
    { capabilities: { tools: {} }, instructions },
  );
  server.setRequestHandler('tools/list', () => ({ tools: agentTools.map(describeTool) }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = toolByReferenceName(params.name);
    if (!tool) return failed(`There is no tool ${params.name.slice(0, 80)}.`);
    const token = mcpReq._meta?.progressToken;
    let latest: RunProgress | undefined;
    let count = 0;
    const notify = () => {
      if (token === undefined) return;
      const progress = { progressToken: token, progress: ++count, message: messageOf(latest) };
      mcpReq.notify({ method: 'notifications/progress', params: progress }).catch(() => undefined);
    };
    const timer = setInterval(notify, progressInterval);
    // Notify at once, so that the answer becomes a stream and the client sees progress.
    if (tool.operation) notify();
    try {
      const { result, previews } = await desk.ask(
        tool,
        params.arguments ?? {},
        { kind: 'mcp', name: caller },
        {
          signal: mcpReq.signal,
          endsWithCaller: false,
          onProgress: (progress) => {
            if (progress.stage === latest?.stage) return;
            latest = progress;
            notify();
          },
        },
      );
      return {
        content: [
          { type: 'text', text: JSON.stringify(result) },
          ...previews.map(({ bytes, mediaType }) => ({
            type: 'image' as const,
            data: Buffer.from(bytes).toString('base64'),
            mimeType: mediaType,
          })),
        ],
        structuredContent: { ...result },
        isError: isFailure(result),
      };
    } finally {
      clearInterval(timer);
    }
  });
  return server;
}

function describeTool({ referenceName, title, description, inputSchema, operation, id }: AgentTool) {
  return {
    name: referenceName,
    title,
    description,
    inputSchema: schemaOf(inputSchema),
    outputSchema: schemaOf(resultSchema),
    annotations: {
      title,
      readOnlyHint: operation === undefined && id !== 'cancelJob',
      // Paid tools only add files.
      destructiveHint: id === 'cancelJob',
      openWorldHint: operation !== undefined,
    },
  };
}

/** Converts a schema to the type that the SDK takes. */
function schemaOf(schema: object): JSONObject & { readonly type: 'object' } {
  return { ...parseJson<JSONObject>(JSON.stringify(schema)), type: 'object' };
}

function failed(message: string) {
  const next = 'Call one of the tools that tools/list returns.';
  const error = { kind: 'invalidInput', message, retryable: false, charged: 'no' };
  const result = { status: 'failed', error, next };
  return {
    content: [{ type: 'text' as const, text: JSON.stringify(result) }],
    structuredContent: result,
    isError: true,
  };
}

function messageOf(progress: RunProgress | undefined): string {
  return progress?.stage ?? 'waiting';
}
