/** The page's side of the index: questions to the worker, newest answers only. */

import type { Answer, Task } from "./index.worker";
import type { Grid } from "./grid";
import type { Point } from "./lasso";
import type { Rectangle } from "./view";

type Unnumbered<T> = T extends { job: number } ? Omit<T, "job"> : never;

export class IndexWorker {
  private worker: Worker | null = null;
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private last = 0;

  /** Index these states; the worker keeps copies for `lasso`. */
  async grid(x: Float32Array, y: Float32Array, bounds: Rectangle): Promise<Grid> {
    const answer = await this.ask({ kind: "grid", x, y, bounds });
    if (answer.kind !== "grid") throw new Error("the index answered another question");
    return answer.grid;
  }

  async lasso(polygon: Point[]): Promise<{ mask: Uint8Array; states: number }> {
    const answer = await this.ask({ kind: "lasso", polygon });
    if (answer.kind !== "lasso") throw new Error("the index answered another question");
    return answer;
  }

  private ask(task: Unnumbered<Task>): Promise<Answer> {
    const worker = (this.worker ??= this.started());
    const job = ++this.last;
    return new Promise((resolve) => {
      this.waiting.set(job, resolve);
      worker.postMessage({ ...task, job } as Task);
    });
  }

  private started(): Worker {
    const worker = new Worker(new URL("./index.worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = (message: MessageEvent<Answer>) => {
      this.waiting.get(message.data.job)?.(message.data);
      this.waiting.delete(message.data.job);
    };
    return worker;
  }
}
