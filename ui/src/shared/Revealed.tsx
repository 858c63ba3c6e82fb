import { pieces } from './invisible';

/** Text in which nothing can hide: characters without a look of their own are shown as `U+200B`. */
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
