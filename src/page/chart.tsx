/** Small charts: what a figure was, up to now. */

const WIDTH = 240;
const HEIGHT = 48;
const MAX_POINTS = 120;

/** Values of one figure over time; the oldest go. */
export class Series {
  readonly #values: number[] = [];

  add(value: number): void {
    this.#values.push(value);
    if (this.#values.length > MAX_POINTS) this.#values.shift();
  }

  get values(): readonly number[] {
    return this.#values;
  }
}

const known = new WeakMap<object, Map<string, Series>>();

/** The series of that name, which goes on while nobody looks at it. @param owner With which they go. */
export function seriesOf(owner: object, name: string): Series {
  const all = known.get(owner) ?? new Map<string, Series>();
  known.set(owner, all);
  const series = all.get(name) ?? new Series();
  all.set(name, series);
  return series;
}

export interface ChartProps {
  readonly title: string;
  readonly values: readonly number[];
  readonly format: (value: number) => string;
  /** Bars are single events, a line is a state. */
  readonly kind?: "line" | "bars";
}

export function Chart({ title, values, format, kind = "line" }: ChartProps) {
  const last = values.at(-1);
  const said = last === undefined ? "–" : format(last);
  const top = Math.max(...values, 1e-9);
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span>
        <strong>{said}</strong>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={last === undefined
          ? `${title}: nothing yet`
          : `${title}: ${said} now, ${format(top)} at most`}
      >
        {kind === "line" ? <Line values={values} top={top} /> : <Bars values={values} top={top} />}
      </svg>
    </figure>
  );
}

interface MarksProps {
  readonly values: readonly number[];
  readonly top: number;
}

function Line({ values, top }: MarksProps) {
  const step = WIDTH / (MAX_POINTS - 1);
  const x = (i: number) => (WIDTH - (values.length - 1 - i) * step).toFixed(1);
  const y = (value: number) => (HEIGHT - 2 - value / top * (HEIGHT - 6)).toFixed(1);
  const points = values.map((value, i) => `${x(i)},${y(value)}`).join(" ");
  if (values.length === 0) return null;
  return (
    <>
      <polygon class="area" points={`${x(0)},${HEIGHT} ${points} ${WIDTH},${HEIGHT}`} />
      <polyline class="line" points={points} />
    </>
  );
}

function Bars({ values, top }: MarksProps) {
  const shown = values.slice(-24);
  const step = WIDTH / 24;
  return (
    <>
      {shown.map((value, i) => {
        const height = Math.max(1.5, value / top * (HEIGHT - 4));
        const x = WIDTH - (shown.length - i) * step;
        return (
          <rect key={i} class="bar" x={x + 1} y={HEIGHT - height} width={step - 2} height={height} rx={1} />
        );
      })}
    </>
  );
}
