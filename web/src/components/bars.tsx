/** Figures of equal spans as bars, the last one now; the numbers are in the label. */
export function Bars({ values, label }: { values: readonly number[]; label: string }) {
  const max = Math.max(1, ...values);
  const width = 4;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${values.length * width} 20`}
      preserveAspectRatio="none"
      className="h-5 w-24 text-bad"
    >
      <title>{label}</title>
      <rect x={0} y={19} width={values.length * width} height={1} className="fill-strong" />
      {values.map((value, index) => {
        const height = value === 0 ? 0 : Math.max(1.5, (value / max) * 18.5);
        return (
          <rect
            key={index}
            x={index * width + 0.5}
            y={19 - height}
            width={width - 1}
            height={height}
            className="fill-current"
          />
        );
      })}
    </svg>
  );
}
