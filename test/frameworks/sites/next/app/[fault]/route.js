import { answer } from '../../../../faults.mjs';

export const dynamic = 'force-dynamic';
export const GET = async (_, { params }) => answer((await params).fault);
