// Sliders for p and i. The service returns the results of all settings at once, so moving a slider shows its figures
// without a request.

import { get, patch } from './api.js';
import { tradeOff } from './charts.js';
import { byId, setText } from './elements.js';
import { bytes, compact, duration, none, percent, plusPercent } from './figures.js';

export class TryOut {
  #whatIf = null;
  #known = null;
  #tuning = null;
  #isTouched = false;
  #onApplied;

  constructor(onApplied) {
    this.#onApplied = onApplied;
    for (const id of ['p', 'i']) {
      byId(id).addEventListener('input', () => {
        this.#isTouched = true;
        setText('try-status', '');
        this.#draw();
      });
    }
    byId('try').addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#apply();
    });
    byId('reset').addEventListener('click', () => {
      this.#isTouched = false;
      this.#place();
      this.#draw();
      byId('p').focus();
    });
  }

  /** @param version version of the results at the service; null: none yet */
  async show({ tuning, whatIf: version }) {
    const isOther = JSON.stringify(tuning) !== JSON.stringify(this.#tuning);
    this.#tuning = tuning;
    if (version !== null && version !== this.#known) {
      const { whatIf } = await get('v1/what-if');
      if (whatIf === null) return;
      this.#whatIf = whatIf;
      this.#known = version;
    } else if (!isOther) return;
    if (!this.#isTouched) this.#place();
    this.#draw();
  }

  /** Call when the service was restarted. */
  forget() {
    this.#known = null;
  }

  get #thresholds() {
    return this.#whatIf?.thresholds ?? Array.from({ length: 19 }, (_, at) => (at + 1) / 20);
  }

  get #limits() {
    return this.#whatIf?.limits ?? [1, 2, 3, 4, 5, 6, 8, 10, null];
  }

  /** Move the sliders to the current settings. */
  #place() {
    if (this.#tuning === null) return;
    byId('p').value = String(nearest(this.#thresholds, this.#tuning.threshold));
    byId('i').value = String(nearest(this.#limits.map(orMany), orMany(this.#tuning.limit)));
  }

  #draw() {
    const [column, row] = [Number(byId('p').value), Number(byId('i').value)];
    const threshold = this.#thresholds[column];
    const limit = this.#limits[row];
    const isSame = this.#tuning !== null && !this.#isTouched;
    const shownP = isSame ? this.#tuning.threshold : threshold;
    const shownI = isSame ? this.#tuning.limit : limit;
    setText('p-out', shownP.toFixed(2));
    setText('i-out', shownI === null ? 'no limit' : String(shownI));
    byId('p').setAttribute('aria-valuetext', shownP.toFixed(2));
    byId('i').setAttribute('aria-valuetext', shownI === null ? 'no limit' : String(shownI));
    const isNew =
      this.#tuning !== null &&
      this.#isTouched &&
      (threshold !== this.#tuning.threshold || limit !== this.#tuning.limit);
    byId('apply').disabled = !isNew;
    byId('reset').disabled = !this.#isTouched;
    if (this.#tuning === null) return;
    const inForce = [
      nearest(this.#thresholds, this.#tuning.threshold),
      nearest(this.#limits.map(orMany), orMany(this.#tuning.limit)),
    ];
    this.#sayIfSame(inForce, [column, row]);
    this.#figures('now', ...inForce);
    this.#figures('try', column, row);
    this.#curve(inForce, [column, row]);
  }

  /** A slider that moves without effect should say so. */
  #sayIfSame(inForce, tried) {
    const found = this.#whatIf;
    const isKnown = found !== null && found.accesses > 0;
    const isMoved = this.#isTouched && String(inForce) !== String(tried);
    const [now, then] = isKnown ? [at(found, ...inForce), at(found, ...tried)] : [{}, {}];
    byId('try-same').hidden = !(
      isKnown &&
      isMoved &&
      now.given === then.given &&
      now.hits === then.hits
    );
  }

  #figures(side, column, row) {
    const found = this.#whatIf;
    if (found === null || found.accesses === 0) {
      for (const name of ['hits', 'extra', 'precision', 'used-bytes', 'bytes'])
        setText(`${side}-${name}`, none);
      setText('try-range', found === null ? 'counting…' : 'no access in the last hour');
      return;
    }
    const { given, hits } = at(found, column, row);
    setText(`${side}-hits`, percent(hits / found.accesses));
    setText(`${side}-extra`, plusPercent((given - hits) / found.accesses));
    const known = (amount) => (found.bytes === 0 ? 'not known' : bytes(amount));
    setText(`${side}-used-bytes`, known(found.hitBytes[row][column]));
    setText(`${side}-bytes`, known(found.wastedBytes[row][column]));
    // Each hint is used or wasted here, so these are all.
    setText(`${side}-precision`, percent(hits / given));
    setText(
      'try-range',
      `on ${compact(found.accesses)} accesses of ${found.fromMs === null ? 'now' : duration(Date.now() - found.fromMs)}`,
    );
  }

  #curve(inForce, tried) {
    const found = this.#whatIf;
    if (found === null || found.accesses === 0) {
      byId('trade-off').replaceChildren();
      return;
    }
    const point = (column, row) => {
      const { given, hits } = at(found, column, row);
      return { x: (given - hits) / found.accesses, y: hits / found.accesses };
    };
    const points = found.thresholds.map((_, column) => point(column, tried[1]));
    const marks = [
      { ...point(...inForce), name: 'in-force' },
      { ...point(...tried), name: 'tried' },
    ];
    const { x, y } = point(...tried);
    tradeOff(
      byId('trade-off'),
      points,
      marks,
      `At these settings ${percent(y)} hits for ${plusPercent(x)} requests`,
    );
  }

  async #apply() {
    const threshold = this.#thresholds[Number(byId('p').value)];
    const limit = this.#limits[Number(byId('i').value)];
    byId('apply').disabled = true;
    setText('try-status', 'Applying…');
    try {
      this.#tuning = await patch('v1/config', { threshold, limit });
      this.#isTouched = false;
      this.#draw();
      setText(
        'try-status',
        `Applied until the service ends: p ${threshold.toFixed(2)}, i ${limit ?? 'no limit'}`,
      );
      byId('p').focus();
      this.#onApplied();
    } catch (error) {
      byId('apply').disabled = false;
      setText('try-status', `Not applied: ${error.message}`);
    }
  }
}

function at({ given, hits }, column, row) {
  return { given: given[row][column], hits: hits[row][column] };
}

function orMany(limit) {
  return limit ?? 32;
}

function nearest(values, wanted) {
  let best = 0;
  for (const [index, value] of values.entries()) {
    if (Math.abs(value - wanted) < Math.abs(values[best] - wanted)) best = index;
  }
  return best;
}
