#include "timeline/hit_walk.h"

namespace torchline {

void walkHits(ViewState& state, bool forward)
{
    const HitsPtr hits = state.hits();
    if (!hits || hits->count() == 0)
        return;
    SliceRef target;
    if (const SliceRef selected = state.selection(); selected.isValid()) {
        target = hits->next(selected, forward);
    } else {
        target = hits->firstFrom(state.visible().beginNs);
        if (!forward && target.isValid())
            target = hits->next(target, false);
    }
    if (!target.isValid())
        target = forward ? hits->first() : hits->last();
    state.reveal(target);
}

} // namespace torchline
