export { figuresOf, type Figure } from './behind';
export { FigureChip, FigurePopover } from './FigureChip';
export { FigureList } from './FigureList';
export { markFigures } from './mark';
export { numbersSaid, type Known } from './match';
