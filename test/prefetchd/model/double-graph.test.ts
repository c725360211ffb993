import { DoubleGraph } from '../../../prefetchd/model/double-graph.ts';
import { predictorContract } from '../../contracts/predictor.ts';

predictorContract('double-graph', (options) => new DoubleGraph(options));
