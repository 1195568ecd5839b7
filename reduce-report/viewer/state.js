import { has, lanesOf } from "./spans.js";

/** The steps of a run, and the state of registers and memory after each of them. */
export class Run {
  constructor(played) {
    this.played = played;
    this.launches = played.launches;
    this.inputs = new Map(played.inputs);
    this.timelines = new Map();
    for (const frame of played.frames) {
      const key = `${frame.l}/${frame.b}`;
      if (!this.timelines.has(key)) this.timelines.set(key, []);
      this.timelines.get(key).push(frame);
    }
    this.timelines.forEach((frames) => frames.sort((a, b) => a.t - b.t));
  }

  /** Returns the frames of a block in the order of time. */
  frames(launch, block) {
    return this.timelines.get(`${launch}/${block}`) ?? [];
  }

  /** Returns the number of time steps of a block. */
  length(launch, block) {
    return this.frames(launch, block).at(-1)?.t ?? 0;
  }

  kernel(launch) {
    return this.played.kernels[this.launches[launch].kernel];
  }

  /** Returns the line of a frame in the CUDA, or undefined. */
  line(frame) {
    return this.kernel(frame.l).lines[frame.s] ?? undefined;
  }

  /** Returns the registers, the shared memory and the groups of a block after a time step, and the frames of that step. */
  state(launch, block, time) {
    const state = { registers: new Map(), arrays: new Map(), groups: new Map(), now: [] };
    for (const frame of this.frames(launch, block)) {
      if (frame.t > time) break;
      if (frame.t === time) state.now.push(frame);
      this.apply(state, frame);
    }
    return state;
  }

  apply(state, frame) {
    if (frame.r) {
      const [name, spans] = frame.r;
      const warp = entry(state.registers, frame.w, () => new Map());
      const register = entry(warp, name, () => new Array(32).fill(undefined));
      lanesOf(spans).forEach(([lane, value]) => { register[lane] = value; });
    }
    for (const written of frame.p ?? []) {
      const rank = frame.b % this.kernel(frame.l).cluster;
      if (written.rank !== rank) continue;
      const cells = entry(state.arrays, written.array, () => new Map());
      const values = new Map(lanesOf(written.v));
      lanesOf(written.at).forEach(([lane, index]) => cells.set(index, values.get(lane)));
    }
    for (const read of frame.g ?? []) {
      if (read.stores || !this.inputs.has(read.buffer)) continue;
      const warp = entry(state.groups, frame.w, () => new Array(32).fill(undefined));
      const count = Math.max(1, read.bytes / this.inputs.get(read.buffer));
      lanesOf(read.i).forEach(([lane, first]) => { warp[lane] = { first, count }; });
    }
  }

  /** Returns the results after the last step, as text by group. */
  results() {
    const stored = new Map();
    for (const frame of this.played.frames) {
      for (const written of frame.p ?? []) {
        if (written.array !== "result") continue;
        const values = new Map(lanesOf(written.v));
        lanesOf(written.at).forEach(([lane, index]) => stored.set(index, values.get(lane)));
      }
    }
    const finished = new Map(this.played.finished);
    return new Map([...stored].map(([group, value]) => [group, finished.get(value)]));
  }

  value(number) {
    return number === undefined ? "" : this.played.values[number] ?? "";
  }
}

/** Returns the state of a lane in a step: active, divergent (waits for other lanes of its warp), ended or idle. */
export function laneState(frames, lane) {
  if (frames.length === 0) return "idle";
  if (frames.some((frame) => has(frame.on, lane))) return "active";
  return has(frames[0].off, lane) ? "ended" : "divergent";
}

function entry(map, key, make) {
  if (!map.has(key)) map.set(key, make());
  return map.get(key);
}
