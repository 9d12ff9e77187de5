// Names as real traces have them, and the kind of work each stands for.

#include "lod/work_class.h"
#include "trace_fixture.h"

#include <QTest>

using namespace torchline;

class TestWorkClass : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nameTellsClass_data();
    void nameTellsClass();
    void unknownKernelTakesTheClassOfItsOperator();
    void unknownKernelOfAnAnnotationStaysOther();
    void everyClassHasATitle();
};

void TestWorkClass::nameTellsClass_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<SliceKind>("kind");
    QTest::addColumn<WorkClass>("expected");
    const auto row = [](const char* name, SliceKind kind, WorkClass expected) {
        QTest::newRow(name) << QByteArray(name) << kind << expected;
    };
    using enum WorkClass;

    row("aten::mm", SliceKind::CpuOp, Matrix);
    row("aten::addmm", SliceKind::CpuOp, Matrix);
    row("AddmmBackward0", SliceKind::CpuOp, Matrix);
    row("autograd::engine::evaluate_function: MmBackward0", SliceKind::CpuOp, Matrix);
    row("CudnnConvolutionBackward", SliceKind::CpuOp, Matrix);
    row("aten::linear", SliceKind::CpuOp, Matrix);
    row("vllm::rocm_unquantized_gemm", SliceKind::CpuOp, Matrix);
    row("aten::scaled_dot_product_attention", SliceKind::CpuOp, Attention);
    row("aten::_flash_attention_forward", SliceKind::CpuOp, Attention);
    row("vllm::unified_attention_with_output", SliceKind::CpuOp, Attention);
    row("_C_cache_ops::reshape_and_cache_flash", SliceKind::CpuOp, DeviceCopy);
    row("aten::add_", SliceKind::CpuOp, Elementwise);
    row("aten::_foreach_add_", SliceKind::CpuOp, Elementwise);
    row("aten::native_dropout_backward", SliceKind::CpuOp, Elementwise);
    row("aten::gelu", SliceKind::CpuOp, Elementwise);
    row("aten::normal_", SliceKind::CpuOp, Elementwise);
    row("aten::zeros_like", SliceKind::CpuOp, Elementwise);
    row("aten::upsample_bilinear2d", SliceKind::CpuOp, Elementwise);
    row("sgl_kernel::rotary_embedding", SliceKind::CpuOp, Elementwise);
    row("triton_poi_fused_addmm_gelu_view_15", SliceKind::CpuOp, Elementwise);
    row("triton_red_fused_add_addmm_mul_native_layer_norm_16", SliceKind::CpuOp, Reduction);
    row("aten::sum", SliceKind::CpuOp, Reduction);
    row("aten::_softmax_backward_data", SliceKind::CpuOp, Reduction);
    row("aten::native_layer_norm", SliceKind::CpuOp, Reduction);
    row("aten::linalg_vector_norm", SliceKind::CpuOp, Reduction);
    row("aten::max_pool2d_with_indices", SliceKind::CpuOp, Reduction);
    row("NllLossBackward0", SliceKind::CpuOp, Reduction);
    row("aten::copy_", SliceKind::CpuOp, DeviceCopy);
    row("aten::to", SliceKind::CpuOp, DeviceCopy);
    row("aten::item", SliceKind::CpuOp, DeviceCopy);
    row("aten::embedding", SliceKind::CpuOp, DeviceCopy);
    row("aten::cat", SliceKind::CpuOp, DeviceCopy);
    row("aten::as_strided", SliceKind::CpuOp, Op);
    row("aten::t", SliceKind::CpuOp, Op);
    row("TBackward0", SliceKind::CpuOp, Op);
    row("aten::empty_strided", SliceKind::CpuOp, Op);
    row("aten::_unsafe_view", SliceKind::CpuOp, Op);
    row("torch::autograd::AccumulateGrad", SliceKind::CpuOp, Op);
    row("aten::_has_compatible_shallow_copy_type", SliceKind::CpuOp, Op);
    row("c10d::allreduce_", SliceKind::CpuOp, Communication);
    row("record_param_comms", SliceKind::CpuOp, Communication);
    row("_c10d_functional::all_gather_into_tensor", SliceKind::CpuOp, Communication);
    row("ProfilerStep#5", SliceKind::CpuOp, Step);
    row("Optimizer.step#SGD.step", SliceKind::CpuOp, Step);
    row("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", SliceKind::CpuOp, Step);

    row("ProfilerStep#12", SliceKind::UserAnnotation, Step);
    row("## forward ##", SliceKind::UserAnnotation, Step);
    row("## all2all_data:lengths ##", SliceKind::UserAnnotation, Step);
    row("nccl:all_reduce", SliceKind::UserAnnotation, Communication);
    row("gloo:barrier", SliceKind::UserAnnotation, Communication);
    row("nccl:all_gather_into_tensor_coalesced", SliceKind::DeviceAnnotation, Communication);
    row("Attention_Forward", SliceKind::DeviceAnnotation, Step);
    row("train_gpt.py(131): main", SliceKind::PythonFunction, Python);
    row("nn.Module: Linear_0", SliceKind::PythonFunction, Python);
    row("torch/utils/data/dataloader.py(728): __next__", SliceKind::PythonFunction, Python);

    row("cudaLaunchKernel", SliceKind::Runtime, Call);
    row("hipExtModuleLaunchKernel", SliceKind::Runtime, Call);
    row("cudaStreamWaitEvent", SliceKind::Runtime, Call);
    row("cuLaunchKernelEx", SliceKind::Driver, Call);
    row("cudaStreamSynchronize", SliceKind::Runtime, Sync);
    row("hipDeviceSynchronize", SliceKind::Runtime, Sync);
    row("cudaEventSynchronize", SliceKind::Runtime, Sync);
    row("Context Sync", SliceKind::DeviceSync, Sync);
    row("Activity Buffer Request", SliceKind::Overhead, Call);

    row("Memcpy HtoD (Pinned -> Device)", SliceKind::Memcpy, HostToDevice);
    row("Memcpy DtoH (Device -> Pageable)", SliceKind::Memcpy, DeviceToHost);
    row("Memcpy DtoD (Device -> Device)", SliceKind::Memcpy, DeviceCopy);
    row("CopyHostToDevice", SliceKind::Memcpy, HostToDevice);
    row("CopyDeviceToHost", SliceKind::Memcpy, DeviceToHost);
    row("Memset (Device)", SliceKind::Memset, WorkClass::Memset);

    row("ampere_sgemm_128x64_tn", SliceKind::Kernel, Matrix);
    row("nvjet_tst_192x8_64x8_4x1_v_bz_TNT", SliceKind::Kernel, Matrix);
    row("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT320x224x64_MI16x16x1_SN", SliceKind::Kernel, Matrix);
    row("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x64_64x6_tn_align8>(Params)",
        SliceKind::Kernel, Matrix);
    row("sm86_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x64x32", SliceKind::Kernel, Matrix);
    row("igemm_bwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x256x32", SliceKind::Kernel, Matrix);
    row("volta_scudnn_128x64_relu_xregs_large_nn_v1", SliceKind::Kernel, Matrix);
    row("void splitKreduce_kernel<float, float, float, float, true, false, false>(cublasSplitKParams<float>)",
        SliceKind::Kernel, Matrix);
    row("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float, float>(int)", SliceKind::Kernel,
        Matrix);
    row("_ZN2ck16tensor_operation6device12_GLOBAL__N_139kernel_grouped_conv_fwd_xdl_cshuffle_v3", SliceKind::Kernel,
        Matrix);
    row("triton_tem_fused_mm_7", SliceKind::Kernel, Matrix);
    row("attn_fwd", SliceKind::Kernel, Attention);
    row("void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128>>(Params)",
        SliceKind::Kernel, Attention);
    row("fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<float>)", SliceKind::Kernel,
        Attention);
    row("void paged_attention_ll4mi_reduce_kernel<__hip_bfloat16>(float*)", SliceKind::Kernel, Attention);
    row("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)", SliceKind::Kernel,
        Elementwise);
    row("void at::native::(anonymous namespace)::elementwise_kernel_with_index<int>(int)", SliceKind::Kernel,
        Elementwise);
    row("void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>>(int)", SliceKind::Kernel,
        Elementwise);
    row("triton_poi_fused__scaled_dot_product_flash_attention_cat_transpose_view_10", SliceKind::Kernel, Elementwise);
    row("void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*)", SliceKind::Kernel, Elementwise);
    row("void fbgemm_gpu::(anonymous namespace)::_compute_FP8_quantize_cuda_kernel<float>(float const*)",
        SliceKind::Kernel, Elementwise);
    row("triton_per_fused_mean_24", SliceKind::Kernel, Reduction);
    row("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(ReduceOp)", SliceKind::Kernel, Reduction);
    row("void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int)", SliceKind::Kernel,
        Reduction);
    row("void (anonymous namespace)::softmax_warp_forward<float, float, float, 8, false, false>(float*)",
        SliceKind::Kernel, Reduction);
    row("MIOpenBatchNormFwdTrainSpatialNorm", SliceKind::Kernel, Reduction);
    row("void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 32, true, 1>(float)", SliceKind::Kernel, Reduction);
    row("_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi64ELi8ELb0E", SliceKind::Kernel, Reduction);
    row("void at::native::elementwise_kernel<128, 2, "
        "gpu_kernel_impl<direct_copy_kernel_cuda(TensorIteratorBase&)>>(int)",
        SliceKind::Kernel, DeviceCopy);
    row("void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 2>(float*)",
        SliceKind::Kernel, DeviceCopy);
    row("batched_transpose_32x16_half", SliceKind::Kernel, DeviceCopy);
    row("void fbgemm_gpu::permute_2D_data_kernel<true, int, int, float>(int)", SliceKind::Kernel, DeviceCopy);
    row("__amd_rocclr_copyBuffer", SliceKind::Kernel, DeviceCopy);
    row("__amd_rocclr_fillBufferAligned", SliceKind::Kernel, WorkClass::Memset);
    row("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", SliceKind::Kernel, Communication);
    row("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", SliceKind::Kernel, Communication);
    row("void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)", SliceKind::Kernel,
        Communication);
    row("aten::mul.out-dtype_Float", SliceKind::Kernel, Elementwise);
    row("triton__0d1d2de", SliceKind::Kernel, Op);
    row("my_kernel", SliceKind::Kernel, Op);
    row("", SliceKind::Kernel, Op);
    row("_", SliceKind::CpuOp, Op);
    row("::", SliceKind::CpuOp, Op);
    row("backward", SliceKind::CpuOp, Op);
}

void TestWorkClass::nameTellsClass()
{
    QFETCH(QByteArray, name);
    QFETCH(SliceKind, kind);
    QFETCH(WorkClass, expected);
    const WorkClass found = workClassOf({name.constData(), static_cast<size_t>(name.size())}, kind);
    QCOMPARE(QByteArray::fromStdString(std::string(workClassTitle(found))),
        QByteArray::fromStdString(std::string(workClassTitle(expected))));
}

void TestWorkClass::unknownKernelTakesTheClassOfItsOperator()
{
    TraceFixture f;
    const uint32_t host = f.lane("100", "100");
    const uint32_t stream = f.lane("0", "7");
    f.op(host, "aten::mm", 0, 100, 1);
    f.call(host, "cudaLaunchKernel", 10, 5, 55);
    f.kernel(stream, "my_kernel", 30, 40, 55, 1);
    const auto trace = f.snapshot();
    const WorkClasses classes(*trace);
    QVERIFY(classes.of(*trace, sliceNamed(*trace, "my_kernel")) == WorkClass::Matrix);
    QVERIFY(classes.of(*trace, sliceNamed(*trace, "cudaLaunchKernel")) == WorkClass::Call);
}

void TestWorkClass::unknownKernelOfAnAnnotationStaysOther()
{
    TraceFixture f;
    const uint32_t host = f.lane("100", "100");
    const uint32_t stream = f.lane("0", "7");
    f.annotation(host, "my region", 0, 100, 1);
    f.call(host, "cudaLaunchKernel", 10, 5, 55);
    f.kernel(stream, "my_kernel", 30, 40, 55, 1);
    const auto trace = f.snapshot();
    QVERIFY(WorkClasses(*trace).of(*trace, sliceNamed(*trace, "my_kernel")) == WorkClass::Op);
}

void TestWorkClass::everyClassHasATitle()
{
    for (int i = 0; i < static_cast<int>(WorkClass::Count); ++i)
        QVERIFY(!workClassTitle(static_cast<WorkClass>(i)).empty());
}

QTEST_GUILESS_MAIN(TestWorkClass)
#include "tst_work_class.moc"
