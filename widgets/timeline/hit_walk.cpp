#include "timeline/hit_walk.h"

#include "model/same_slice.h"

namespace torchline {

void walkHits(ViewState& state, bool forward)
{
    const HitsPtr hits = state.hits();
    if (!hits || hits->count() == 0)
        return;
    SliceRef target;
    const SliceRef selected = sameSlice(*state.trace(), state.selection(), hits->trace());
    if (selected.isValid()) {
        target = hits->next(selected, forward);
    } else {
        target = hits->firstFrom(state.visible().beginNs);
        if (!forward && target.isValid())
            target = hits->next(target, false);
    }
    if (!target.isValid())
        target = forward ? hits->first() : hits->last();
    state.reveal(sameSlice(hits->trace(), target, *state.trace()));
}

} // namespace torchline
