-- why: what enters and leaves the index is told to the readers of the index (EVT-71..72).

select backbone.add_messaging('search_aggregation');
