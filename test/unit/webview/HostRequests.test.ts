import assert from 'node:assert/strict';

interface Host {
  request(name: string, body: object): Promise<unknown>;
}

/** What the page of a webview has that Node.js lacks. */
const page = {
  window: new EventTarget(),
  acquireVsCodeApi: () => ({ postMessage: (message: { readonly id: number }) => posted.push(message) }),
};
const posted: { readonly id: number }[] = [];
const table = { name: { body: () => true, reply: (value: unknown) => typeof value === 'string' } };

describe('HostRequests', () => {
  let HostRequests: new (requests: typeof table) => Host;

  before(async () => {
    Object.assign(globalThis, page);
    // A copy of the module for these stand-ins. By a variable name, as its types are those of the browser.
    const copy = '../../../src/webview/HostRequests.ts?copy';
    ({ HostRequests } = await import(copy));
  });

  after(() => {
    for (const name of Object.keys(page)) Reflect.deleteProperty(globalThis, name);
  });

  it('settles a request with the reply of its id, unless the reply has another shape', async () => {
    const host = new HostRequests(table);
    const [fox, number, failure] = [1, 2, 3].map(() => host.request('name', {}));
    const [one = 0, two = 0, three = 0] = posted.slice(-3).map(({ id }) => id);
    receive({ type: 'failed', id: three, message: 'It is gone.' });
    receive({ type: 'reply', id: two, value: 7 });
    receive({ type: 'reply', id: one, value: 'a fox' });
    assert.equal(await fox, 'a fox');
    await assert.rejects(Promise.resolve(number), /^Error: name: the reply has an unexpected shape$/);
    await assert.rejects(Promise.resolve(failure), /^Error: It is gone\.$/);
  });

  it('does not take a late reply to a request of the page before for one to its own', async () => {
    void new HostRequests(table).request('name', {});
    const [before] = posted.splice(0).slice(-1);
    // The new page starts later, and has posted as many requests as the old one.
    await new Promise((resolve) => setTimeout(resolve, 5));
    const shown = new HostRequests(table).request('name', {});
    const [own] = posted;
    receive({ type: 'reply', id: before?.id ?? 0, value: 'of the page before' });
    receive({ type: 'reply', id: own?.id ?? 0, value: 'its own' });
    assert.equal(await shown, 'its own');
  });
});

function receive(data: object): void {
  page.window.dispatchEvent(Object.assign(new Event('message'), { data }));
}
