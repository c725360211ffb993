// A tab with a profile of its own. A prerendered page is a target beside the shown one and takes its place when it is
// activated, so commands go to the page of the tab that is shown at the time.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Devtools, DevtoolsEvent } from '../../../test/support/devtools.ts';

interface TargetInfo {
  targetId: string;
  type: string;
  /** `prerender`, or `disconnected` after its page was left; absent: it is shown. */
  subtype?: string;
}

interface Point {
  x: number;
  y: number;
}

const patienceMs = 20_000;
const lookMs = 15;

export class Tab implements AsyncDisposable {
  readonly #devtools: Devtools;
  readonly #profile: string;
  readonly #session: string;
  /** By session, in the order in which they came. */
  readonly #pages = new Map<string, TargetInfo>();
  readonly #listener: Disposable;

  private constructor(devtools: Devtools, profile: string, session: string) {
    this.#devtools = devtools;
    this.#profile = profile;
    this.#session = session;
    this.#listener = devtools.listen((event) => this.#hear(event));
  }

  static async open(devtools: Devtools): Promise<Tab> {
    const filter = [{ type: 'tab' }, { type: 'page' }];
    await devtools.send('Target.setDiscoverTargets', { discover: true, filter });
    const { browserContextId } = await devtools.send<{ browserContextId: string }>(
      'Target.createBrowserContext',
    );
    const { targetId } = await devtools.send<{ targetId: string }>('Target.createTarget', {
      ...{ url: 'about:blank', browserContextId, forTab: true, newWindow: true },
      ...{ width: 1280, height: 900 },
    });
    const { sessionId } = await devtools.send<{ sessionId: string }>('Target.attachToTarget', {
      ...{ targetId, flatten: true },
    });
    const tab = new Tab(devtools, browserContextId, sessionId);
    await devtools.send(
      'Target.setAutoAttach',
      {
        ...{ autoAttach: true, waitForDebuggerOnStart: false, flatten: true },
        filter: [{ type: 'page' }],
      },
      sessionId,
    );
    await tab.#until(async () => tab.#pages.size > 0, 'a tab to open');
    return tab;
  }

  async goto(url: string): Promise<void> {
    await this.#send('Page.navigate', { url });
    await this.shows(url);
  }

  /** Until this page is shown and has loaded. */
  async shows(url: string): Promise<void> {
    const script = `location.href === ${JSON.stringify(url)} && document.readyState === 'complete'`;
    await this.#until(() => this.evaluate<boolean>(script), url);
  }

  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.#send<{
      result: { value: T };
      exceptionDetails?: { text: string };
    }>('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
    return result.value;
  }

  move(to: Point): Promise<unknown> {
    return this.#send('Input.dispatchMouseEvent', { type: 'mouseMoved', ...to });
  }

  press(at: Point): Promise<unknown> {
    return this.#mouseButton('mousePressed', at);
  }

  release(at: Point): Promise<unknown> {
    return this.#mouseButton('mouseReleased', at);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const browserContextId = this.#profile;
    await this.#devtools.send('Target.disposeBrowserContext', { browserContextId });
    this.#listener[Symbol.dispose]();
  }

  #mouseButton(type: string, at: Point): Promise<unknown> {
    return this.#send('Input.dispatchMouseEvent', { type, ...at, button: 'left', clickCount: 1 });
  }

  #send<T>(method: string, params: object): Promise<T> {
    const shown = [...this.#pages].findLast(([, { subtype }]) => subtype === undefined);
    if (shown === undefined) throw new Error(`${method}: the tab shows no page`);
    return this.#devtools.send<T>(method, params, shown[0]);
  }

  /** While one page takes the place of another, commands fail. */
  async #until(isSo: () => Promise<boolean>, what: string): Promise<void> {
    const deadline = performance.now() + patienceMs;
    while (!(await isSo().catch(() => false))) {
      if (performance.now() > deadline) throw new Error(`waited ${patienceMs} ms for ${what}`);
      await sleep(lookMs);
    }
  }

  #hear({ method, params, sessionId }: DevtoolsEvent): void {
    const { targetInfo } = params as { targetInfo: TargetInfo };
    if (method === 'Target.attachedToTarget' && sessionId === this.#session) {
      this.#pages.set(params.sessionId as string, targetInfo);
    }
    if (method === 'Target.detachedFromTarget') this.#pages.delete(params.sessionId as string);
    if (method === 'Target.targetInfoChanged') {
      for (const [session, { targetId }] of this.#pages) {
        if (targetId === targetInfo.targetId) this.#pages.set(session, targetInfo);
      }
    }
  }
}
