// preact (11 kB) draws the views from parts of a snapshot that the host sends when they change, which does not disturb
// a playing sound or the cursor. The view keeps what is typed; the host keeps attached files, because a webview can
// load only files from its resource roots.

import './styles/main.css';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { OperationId } from '../operations/operations.ts';
import { type Announcement, announcementOf } from './announcement.ts';
import { Composer } from './composer/Composer.tsx';
import { withInput, withMoved, withRecalled } from './composer/composition.ts';
import { controlId } from './composer/Options.tsx';
import { type EditDraft, useDraft } from './composer/useDraft.ts';
import { Feed, usePages } from './feed/Feed.tsx';
import type { OnItem } from './feed/Tile.tsx';
import { renderPage } from './HostRequests.ts';
import { type Instruction, keep, keepScroll, kept, listen, post, request } from './host.ts';
import type { ComparedVariants } from './library/Compare.tsx';
import { LibraryPage, type RequestedResult } from './library/LibraryPage.tsx';
import {
  type BodyOf,
  composingActions,
  type FeedItem,
  itemActions,
  type JobCard,
  type LibraryPart,
  type Parts,
  type Start,
  start as startShape,
} from './protocol/messages.ts';
import { type AttachmentKind, resultOf } from './protocol/tabs.ts';

/** In pixels; two columns fit into a side bar of the default width. */
const minTileWidth = 120;

/** How many results are saved when the view is hidden, to draw it at once when it is shown again. */
const maxKept = 24;

/** Returns the library as it was when the view was hidden, to be shown until the host sends the current one. */
function keptLibrary(): Parts {
  const library = kept()?.library;
  return library ? { library } : {};
}

/** Returns the parts that the host put into the page; none when the page is shown again, because they are old then. */
function firstParts({ id, parts }: Start): Parts {
  if (kept()?.start === id) return {};
  keep({ start: id });
  return parts;
}

const noJobs: readonly JobCard[] = [];

/** Marks a saved library with revision 0, which the host never uses. */
function asKept(library: LibraryPart): LibraryPart {
  return { ...library, revision: 0, first: library.first.slice(0, maxKept) };
}

/** Returns the latest parts that the host sent, and passes on its other messages. */
function useParts(start: Start, onMessage: (message: Instruction) => void): Parts {
  const [parts, setParts] = useState<Parts>(() => ({ ...keptLibrary(), ...firstParts(start) }));
  const { library } = parts;
  useEffect(() => {
    if (library && library.revision > 0) keep({ library: asKept(library) });
  }, [library]);
  // Not after the first frame, so that the host sends the results as early as possible.
  useLayoutEffect(() => {
    const end = listen((message) => {
      if (message.type === 'parts') setParts((now) => ({ ...now, ...message.parts }));
      else onMessage(message);
    });
    post('ready', {});
    return end;
  }, []);
  return parts;
}

/** The view in the side bar: the composer and the results. */
function CreatePage({ start }: { readonly start: Start }) {
  const [draft, edit] = useDraft(start);
  const scroller = useRef<HTMLDivElement>(null);
  const toComposer = (selector = '.prompt'): void => {
    scroller.current?.scrollTo(0, 0);
    // A transcript has no prompt: its button is next.
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`${selector}, .submit`)?.focus());
  };
  const composeWith = useCallback((source: BodyOf<'useInView'>): void => {
    const selector = source.action === 'chooseModel' ? `#${controlId('model')}` : undefined;
    void fillComposer(source, edit).then(
      () => toComposer(selector),
      () => undefined,
    );
  }, []);
  const {
    setup,
    jobs: cards,
    library,
  } = useParts(start, (message) => {
    if (message.type === 'use') composeWith(message.source);
    if (message.type === 'moved') edit((now) => withMoved(now, message.moves));
    if (message.type !== 'compose') return;
    const { tab, attachments } = message;
    edit((now) => ({ tab, attachments: { ...now.attachments, [tab]: attachments } }));
    toComposer();
  });
  const jobs = cards ?? noJobs;
  const pages = usePages(library, jobs);
  const [actions, cancelled] = useItemActions(composeWith);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) pages.follow(resultOf(draft.tab));
    isFirst.current = false;
  }, [draft.tab]);
  return (
    <div class="scroller" data-place="view" ref={scroller} onScroll={({ currentTarget }) => keepScroll(currentTarget)}>
      <Composer draft={draft} setup={setup} edit={edit} />
      <Feed {...{ library, pages, jobs, scroller, ...actions }} minTileWidth={minTileWidth} />
      <Announcer jobs={cards} library={library} cancelled={cancelled} />
    </div>
  );
}

/** The library in an editor tab. What fills the composer goes to the one in the side bar. */
function LibraryTab({ start }: { readonly start: Start }) {
  const [requested, setRequested] = useState<RequestedResult>();
  const [variants, setVariants] = useState<ComparedVariants>();
  const scroller = useRef<HTMLDivElement>(null);
  const { jobs: cards, library } = useParts(start, (message) => {
    if (message.type === 'select') setRequested((now) => ({ asked: (now?.asked ?? 0) + 1, id: message.id }));
    if (message.type !== 'compare') return;
    const { name, variants: all } = message;
    setVariants((now) => ({ asked: (now?.asked ?? 0) + 1, name, variants: all }));
  });
  const jobs = cards ?? noJobs;
  const pages = usePages(library, jobs);
  const composeInView = useCallback((source: BodyOf<'useInView'>): void => post('useInView', source), []);
  const [actions, cancelled] = useItemActions(composeInView);
  return (
    <LibraryPage {...{ library, pages, jobs, scroller, requested, variants, ...actions }}>
      <Announcer jobs={cards} library={library} cancelled={cancelled} />
    </LibraryPage>
  );
}

/** The operation and the kind of attachment for each action that puts a result into the composer. */
const targets = {
  edit: { operation: 'editImage', as: 'image' },
  animate: { operation: 'animateImage', as: 'image' },
  remix: { operation: 'remixVideo', as: 'video' },
  transcribe: { operation: 'transcribe', as: 'recording' },
} as const satisfies Readonly<Record<string, { readonly operation: OperationId; readonly as: AttachmentKind }>>;

/**
 * Returns the handlers for actions on results and jobs, and the runs that were cancelled by them.
 *
 * @param composeWith fills the composer
 */
function useItemActions(composeWith: (source: BodyOf<'useInView'>) => void) {
  const onItem: OnItem = useCallback((item, action) => {
    const composing = composingActions.find((one) => one === action);
    const asked = itemActions.find((one) => one === action);
    if (action === 'copyImage') void copyImage(item);
    else if (composing) composeWith({ id: item.id, of: 'result', action: composing });
    else if (asked) post('actOnItems', { ids: [item.id], action: asked });
  }, []);
  const onUsePrompt = useCallback(
    (job: JobCard, action: 'usePrompt' | 'chooseModel') => composeWith({ id: job.id, of: 'job', action }),
    [],
  );
  const cancelled = useRef(new Set<string>()).current;
  const onCancel = useCallback(({ id, run }: JobCard): void => {
    cancelled.add(run);
    post('actOnJob', { id, action: 'cancel' });
  }, []);
  return [{ onItem, onUsePrompt, onCancel }, cancelled] as const;
}

/**
 * Copies a picture as PNG, the only type that every clipboard takes. The browser may refuse that, as it does where the
 * window has no permission for the clipboard.
 */
async function copyImage({ id, source }: FeedItem): Promise<void> {
  try {
    const image = new Image();
    image.crossOrigin = 'anonymous';
    image.src = source ?? '';
    // The clipboard takes the promise: the permission of a click ends before a large picture is encoded.
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': image.decode().then(() => encodePng(image)) })]);
  } catch {
    post('copyRefused', { id });
  }
}

function encodePng(image: HTMLImageElement): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture is too large'))), 'image/png');
  });
}

/**
 * Fills the composer with a result, or with all that a result or a job was made with, so that the user can change and
 * run it.
 */
async function fillComposer({ id, of, action }: BodyOf<'useInView'>, edit: EditDraft): Promise<void> {
  if (action !== 'usePrompt' && action !== 'chooseModel') {
    const { operation, as } = targets[action];
    const added = await request('attachItem', { id, as });
    edit((draft) => withInput(draft, operation, added));
    return;
  }
  const recalled = await request('recall', { id, of });
  edit((draft) => withRecalled(draft, recalled));
}

interface AnnouncerProps {
  /** Undefined until the host has sent them. */
  readonly jobs: readonly JobCard[] | undefined;
  readonly library: LibraryPart | undefined;
  readonly cancelled: ReadonlySet<string>;
}

function Announcer({ jobs, library, cancelled }: AnnouncerProps) {
  const previous = useRef<readonly JobCard[]>(undefined);
  const [announcement, setAnnouncement] = useState<Announcement & { readonly number: number }>({
    number: 0,
    status: '',
    alert: '',
  });
  useEffect(() => {
    if (!jobs) return;
    const last = previous.current;
    previous.current = jobs;
    // Jobs that were there when the view opened are not announced.
    const next = last && announcementOf(last, jobs, library, cancelled);
    if (next) setAnnouncement(({ number }) => ({ ...next, number: number + 1 }));
  }, [jobs, library]);
  const { number, status, alert } = announcement;
  // A new element each time: one whose text stays the same is not spoken again.
  return (
    <>
      <p class="unseen" role="status">
        <span key={number}>{status}</span>
      </p>
      <p class="unseen" role="alert">
        <span key={number}>{alert}</span>
      </p>
    </>
  );
}

renderPage(startShape, (start) =>
  start.place === 'tab' ? <LibraryTab start={start} /> : <CreatePage start={start} />,
);
