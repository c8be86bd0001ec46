import * as l10n from '@vscode/l10n';
import { render } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { OperationId } from '../operations/operations.ts';
import { controlId } from './controlAttributes.ts';
import { Failures } from './Failures.tsx';
import { keepScroll, keptScroll, tell } from './host.ts';
import type { FieldTexts, Form, Snapshot } from './messages.ts';
import { Notices } from './Notices.tsx';
import { OperationForm } from './OperationForm.tsx';
import { OperationTabs, panelId, tabId } from './OperationTabs.tsx';
import { Results } from './Results.tsx';
import { RunningJobs } from './RunningJobs.tsx';
import { SelectedOperation } from './SelectedOperation.ts';
import { allTabs } from './tabs.ts';

/** The whole view, redrawn from the host's last snapshot and what was typed since. */
function CreateView() {
  const [snapshot, setSnapshot] = useState<Snapshot>();
  const [form, setForm] = useState<Form>();
  const [sent, setSent] = useState(0);
  useEffect(() => {
    const take = ({ data }: MessageEvent<Snapshot>): void => {
      if (data.type !== 'snapshot') return;
      setSnapshot(data);
      if (data.form) setForm(data.form);
    };
    window.addEventListener('message', take);
    tell({ type: 'ready' });
    return () => window.removeEventListener('message', take);
  }, []);
  useFocus(form);
  useScroll(snapshot?.results !== undefined);
  if (!snapshot || !form) return null;

  const { tab, texts } = form;
  const tabs = allTabs();
  const select = (operation: OperationId): void => {
    setForm({ tab: operation, texts });
    tell({ type: 'tab', operation });
  };
  const edit = (field: string, text: string): void => {
    setForm((now) => now && { tab: now.tab, texts: { ...now.texts, [tab]: { ...now.texts[tab], [field]: text } } });
    tell({ type: 'edit', operation: tab, field, text });
  };
  const submit = (values: FieldTexts): void => {
    // Greater than any before, also than those of a view that was closed.
    const id = Math.max(Date.now(), sent + 1);
    setSent(id);
    tell({ type: 'submit', id, operation: tab, texts: values });
  };
  return (
    <SelectedOperation.Provider value={tab}>
      <OperationTabs tabs={tabs} selected={tab} onSelect={select} />
      <div id={panelId} role="tabpanel" aria-labelledby={tabId(tab)} class="form">
        <Notices notices={snapshot.notices} tab={tab} />
        <OperationForm
          key={tab}
          operation={tab}
          snapshot={snapshot}
          texts={texts[tab] ?? {}}
          submitName={tabs.find(({ id }) => id === tab)?.submit ?? ''}
          isSending={sent > (snapshot.settled ?? 0)}
          onEdit={edit}
          onSubmit={submit}
        />
        <Failures failures={snapshot.failures} />
      </div>
      <RunningJobs jobs={snapshot.jobs} />
      <Results results={snapshot.results} />
    </SelectedOperation.Provider>
  );
}

/** Goes to the field that the host wants to go on with. */
function useFocus(form: Form | undefined): void {
  useEffect(() => {
    if (form?.focus === undefined) return;
    const control = document.getElementById(controlId(form.focus));
    control?.focus();
    control?.scrollIntoView({ block: 'center' });
  }, [form]);
}

/** Is where it was before it was hidden, once there is enough to scroll. */
function useScroll(isComplete: boolean): void {
  useLayoutEffect(() => {
    if (!isComplete) return undefined;
    window.scrollTo(0, keptScroll());
    const keep = () => keepScroll(window.scrollY);
    window.addEventListener('scroll', keep, { passive: true });
    return () => window.removeEventListener('scroll', keep);
  }, [isComplete]);
}

const root = document.getElementById('create');
if (root) {
  l10n.config({ contents: root.dataset.translations ?? '{}' });
  render(<CreateView />, root);
}
