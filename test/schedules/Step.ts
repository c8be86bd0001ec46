import type { DownloadFault, RequestFault, Stage } from './CountingService.ts';
import type { Changed, WorkName } from './works.ts';

/** How a program ends early, or what happens in the middle of it. */
export interface Ending {
  readonly how: 'SIGKILL' | 'SIGTERM' | 'SIGINT' | 'fill the disk';
  /** When: after milliseconds, or when a request of the program is at a stage for the n-th time. */
  readonly at: number | { readonly stage: Stage; readonly nth: number };
  /** Milliseconds between the stage and the end; the request stands still until then, unless it is answered. */
  readonly delay: number;
}

export type Program = 'apply' | 'editor' | 'agent';

/** Which of two programs: the second one is in a clone, or on another computer. */
export type Seat = 'first' | 'second';

/** What an agent asks for. */
export interface AgentTask {
  readonly tool: 'media_generate_image' | 'media_speak';
  /** Its `request_id`. */
  readonly id: string | undefined;
}

export interface Run {
  readonly program: Program;
  /** Whether it opens the project through a symbolic link. */
  readonly byLink: boolean;
  /** Milliseconds after the step has begun. */
  readonly delay: number;
  readonly ending: Ending | undefined;
  /** The first unless set. */
  readonly seat?: Seat;
  /** Further words of the command line. With `--again`, a person agrees to pay again for what is unknown. */
  readonly words?: readonly string[];
  /** How many requests apply may have out at a time; three if absent. */
  readonly jobs?: number;
  /** Why nothing that it sends arrives. */
  readonly access?: 'wrong key' | 'offline';
  /** What the service does to its n-th request. */
  readonly fault?: { readonly nth: number; readonly fault: RequestFault };
  /** What a person changes while its n-th request is out; afterwards it is as before. */
  readonly change?: { readonly nth: number; readonly what: Changed };
  /** Whether its disk takes longer to make a note of a request than the other program runs. */
  readonly isSlow?: true;
  /** What an agent asks for; nothing if absent. */
  readonly call?: AgentTask;
}

export type Step =
  | { readonly type: 'run'; readonly runs: readonly Run[]; readonly downloads: DownloadFault | undefined }
  | { readonly type: 'rename'; readonly to: string }
  | { readonly type: 'git init' }
  | { readonly type: 'clock'; readonly hours: number }
  /** The files that a work is made from are replaced. */
  | { readonly type: 'change'; readonly what: Changed }
  | { readonly type: 'change back' }
  /** A file that was made is deleted. */
  | { readonly type: 'delete'; readonly work: WorkName }
  /** The folder of the first is deleted, and the other one goes on alone. */
  | { readonly type: 'remove' }
  /** The other computer is gone, and its notes belong to somebody else. */
  | { readonly type: 'keep notes' };

export function lineOf(step: Step): string {
  switch (step.type) {
    case 'run': {
      const downloads = step.downloads === undefined ? '' : `; downloads fail: ${step.downloads}`;
      return `${step.runs.map(runLine).join(' | ')}${downloads}`;
    }
    case 'rename':
      return `the project folder is renamed to "${step.to}"`;
    case 'git init':
      return 'git init in the folder above';
    case 'clock':
      return `the clock goes ${Math.abs(step.hours)} h ${step.hours > 0 ? 'ahead' : 'back'}`;
    case 'change':
      return `what ${step.what} is made from is replaced`;
    case 'change back':
      return 'what was replaced is put back';
    case 'delete':
      return `the file of ${step.work} is deleted`;
    case 'remove':
      return 'the first folder is deleted, and the clone goes on';
    case 'keep notes':
      return 'the second computer is gone, and its notes belong to somebody else';
  }
}

function runLine({ program, seat, words = [], jobs, byLink, delay, ending, ...more }: Run): string {
  const { access, fault, change, isSlow, call } = more;
  const when = (at: Ending['at']) => (typeof at === 'number' ? `after ${at} ms` : `at ${at.stage} #${at.nth}`);
  return [
    [program, ...words].join(' '),
    jobs !== undefined && `${jobs} at a time`,
    call && `asks for ${call.tool} as ${call.id}`,
    seat === 'second' && 'on the second seat',
    byLink && 'through a link',
    delay > 0 && `${delay} ms later`,
    isSlow && 'on a slow disk',
    access,
    fault && `its request ${fault.nth}: ${faultLine(fault.fault)}`,
    change && `${change.what} replaced at arrived #${change.nth}`,
    ending && `${ending.how} ${when(ending.at)}${ending.delay > 0 ? ` + ${ending.delay} ms` : ''}`,
  ]
    .filter(Boolean)
    .join(', ');
}

export function faultLine(fault: RequestFault): string {
  return fault === '429' || fault === '400' ? `refused with ${fault}` : `accepted, then ${fault}`;
}
