import { answer } from '../../../../faults.mjs';

export const GET = ({ params }) => answer(params.fault);
