import { spawnSync } from 'node:child_process';

const script = `
import json, sys
from docutils.core import publish_parts

settings = {'raw_enabled': True, 'file_insertion_enabled': True, 'halt_level': 5, 'report_level': 5}
sources = json.load(sys.stdin)
json.dump([publish_parts(source, writer_name='html', settings_overrides=settings)['body'] for source in sources], sys.stdout)
`;

/** Renders documents in reStructuredText with everything allowed; undefined on a machine without docutils. */
export function renderedByDocutils(sources: readonly string[]): readonly string[] | undefined {
  const { status, stdout } = spawnSync('python3', ['-W', 'ignore', '-c', script], {
    input: JSON.stringify(sources),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  return status === 0 ? (JSON.parse(stdout) as readonly string[]) : undefined;
}
