import { pieces } from './invisible';

/** Text with invisible characters shown as `U+200B`. */
export function Revealed({ text }: { text: string }) {
  return pieces(text).map((piece, index) =>
    piece.code === null ? (
      piece.text
    ) : (
      <span key={index} className="mx-0.5 rounded-badge bg-danger-soft px-1 text-danger" data-tip="Invisible character">
        {piece.code}
      </span>
    ),
  );
}
