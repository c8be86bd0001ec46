// preact (11 kB) draws the views from parts of a snapshot that the host sends when they change, which does not disturb
// a playing sound or the cursor. The view keeps what is typed; the host keeps attached files, because a webview can
// load only files from its resource roots.

import './styles/main.css';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Announcement } from './announcement.ts';
import { announcementOf } from './announcement.ts';
import { Composer } from './composer/Composer.tsx';
import { withAttachments } from './composer/composition.ts';
import type { EditDraft } from './composer/useDraft.ts';
import { useDraft, withPrompt } from './composer/useDraft.ts';
import { Feed, usePages } from './feed/Feed.tsx';
import type { OnItem } from './feed/Tile.tsx';
import { renderPage } from './HostRequests.ts';
import { keep, kept, listen, post, request } from './host.ts';
import { LibraryPage } from './library/LibraryPage.tsx';
import type { Item, JobCard, LibraryPart, Parts, Start } from './protocol/messages.ts';
import { itemActions, start as startShape } from './protocol/messages.ts';
import type { AttachmentKind, TabId } from './protocol/tabs.ts';
import { tabOf } from './protocol/tabs.ts';

/** In pixels; two columns fit into a side bar of the default width. */
const minTileWidth = 120;

/** How many results are saved when the view is hidden, to draw it at once when it is shown again. */
const maxKept = 24;

/** Returns the library as it was when the view was hidden, to be shown until the host sends the current one. */
function keptLibrary(): Parts {
  const library = kept()?.library;
  return library ? { library } : {};
}

/** Marks a saved library with revision 0, which the host never uses. */
function asKept(library: LibraryPart): LibraryPart {
  return { ...library, revision: 0, first: library.first.slice(0, maxKept) };
}

/** The whole view, rendered from the latest parts that the host sent and the draft. */
function App({ start }: { readonly start: Start }) {
  const [draft, edit] = useDraft(start);
  const [parts, setParts] = useState<Parts>(() => ({ ...keptLibrary(), ...start.parts }));
  const [requested, setRequested] = useState(start.selected);
  const scroller = useRef<HTMLDivElement>(null);
  const { library } = parts;
  useEffect(() => {
    if (library && library.revision > 0) keep({ library: asKept(library) }, draft);
  }, [library]);
  // Not after the first frame, so that the host sends the results as early as possible.
  useLayoutEffect(() => {
    const end = listen((message) => {
      if (message.type === 'parts') setParts((now) => ({ ...now, ...message.parts }));
      else setRequested(message.id);
    });
    post('ready', {});
    return end;
  }, []);
  const toComposer = (): void => {
    scroller.current?.scrollTo(0, 0);
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.prompt')?.focus());
  };
  const { onItem, onUsePrompt } = useItemActions(edit, toComposer);
  const { setup, jobs = [] } = parts;
  const pages = usePages(library);
  const composer = <Composer draft={draft} setup={setup} edit={edit} />;
  const announcer = <Announcer jobs={jobs} library={library} />;
  const feed = { library, pages, jobs, scroller, onItem, onUsePrompt };
  if (start.place === 'tab') {
    return (
      <LibraryPage {...feed} requested={requested} composer={composer}>
        {announcer}
      </LibraryPage>
    );
  }
  return (
    <div
      class="scroller"
      data-place="view"
      ref={scroller}
      onScroll={({ currentTarget }) => keep({ scroll: currentTarget.scrollTop }, draft)}
    >
      {composer}
      <Feed {...feed} minTileWidth={minTileWidth} onDrawn={() => scroller.current?.scrollTo(0, kept()?.scroll ?? 0)} />
      {announcer}
    </div>
  );
}

/** The tab and the kind of attachment for each action that puts a result into the composer. */
const targets = {
  edit: { tab: 'image', as: 'image' },
  animate: { tab: 'video', as: 'image' },
  remix: { tab: 'video', as: 'video' },
  transcribe: { tab: 'transcript', as: 'recording' },
} as const satisfies Readonly<Record<string, { readonly tab: TabId; readonly as: AttachmentKind }>>;

/** Returns the handlers for actions on results and failed jobs. Those that fill the composer then scroll to it. */
function useItemActions(edit: EditDraft, toComposer: () => void) {
  const onItem: OnItem = useCallback((item, action) => {
    if (action === 'play' || action === 'compare') return;
    if (action === 'usePrompt') {
      void usePrompt(item, edit).then(toComposer, () => undefined);
    } else if (action === 'edit' || action === 'animate' || action === 'remix' || action === 'transcribe') {
      const { tab, as } = targets[action];
      request('attachItem', { id: item.id, as }).then(
        (added) => {
          edit((draft) => ({ ...withAttachments(draft, tab, added), tab }));
          toComposer();
        },
        () => undefined,
      );
    } else if (itemActions.includes(action)) post('actOnItem', { id: item.id, action });
  }, []);
  const onUsePrompt = useCallback((job: JobCard) => {
    request('jobPrompt', { id: job.id }).then(
      (prompt) => {
        const tab = tabOf(job.operation);
        edit((draft) => ({ ...withPrompt(draft, tab, prompt), tab }));
        toComposer();
      },
      () => undefined,
    );
  }, []);
  return { onItem, onUsePrompt };
}

/** Fills the composer with the prompt and model of a result, so that the user can change and run them. */
async function usePrompt({ id, operation, model }: Item, edit: EditDraft): Promise<void> {
  const { prompt = '' } = await request('details', { id });
  const tab = tabOf(operation);
  edit((draft) => ({ ...withPrompt(draft, tab, prompt), tab, models: { ...draft.models, [operation]: model } }));
}

interface AnnouncerProps {
  readonly jobs: readonly JobCard[];
  readonly library: LibraryPart | undefined;
}

function Announcer({ jobs, library }: AnnouncerProps) {
  const previous = useRef<readonly JobCard[]>(undefined);
  const [announcement, setAnnouncement] = useState<Announcement>({ status: '', alert: '' });
  useEffect(() => {
    const last = previous.current;
    previous.current = jobs;
    // Jobs that were there when the view opened are not announced.
    const next = last && announcementOf(last, jobs, library);
    if (next) setAnnouncement(next);
  }, [jobs, library]);
  return (
    <>
      <p class="unseen" role="status">
        {announcement.status}
      </p>
      <p class="unseen" role="alert">
        {announcement.alert}
      </p>
    </>
  );
}

renderPage(startShape, (start) => <App start={start} />);
